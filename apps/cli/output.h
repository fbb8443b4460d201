// Where results, notes and errors go: data on standard output, one line each of the rest on standard error.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace limelight::cli {

// To standard output, all of it; throws FileError when it is full. Ends the program, quietly, when its reader has gone.
void print(std::string_view text);

// One line on standard error, whatever is quoted in it.
void complain(std::string_view line);
void note(std::string_view line);

// Runs `work`; what it throws becomes one line on standard error, and the exit code 1.
int report_failure(const std::function<void()>& work);

// Written to a temporary name beside `path` and renamed when whole; on failure nothing is left. Throws FileError.
void write_file(const std::filesystem::path& path, std::string_view content);

// What is wrong with writing to `path`, given as `option`, while `input` is read: both are one file, however they are
// spelt. "" when nothing is.
std::string overwriting(std::string_view option, const std::filesystem::path& path, const std::filesystem::path& input);

// What is wrong with writing two results to these paths, likewise. A device may take both; "" when either is empty.
std::string written_twice(std::string_view option, const std::filesystem::path& path, std::string_view other_option,
                          const std::filesystem::path& other);

// "84.2 MB"
std::string size_text(double bytes);

// The whole of a file, or of standard input for "-". Throws FileError.
std::string read_file(const std::string& path);

}  // namespace limelight::cli
