// Limelight's side of bench/peers: one process that answers the lines of side.py on standard input, and two more,
// "peak THREADS" and "bandwidth THREADS" with what the processor can do right now.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "bench/sides/work.h"
#include "limelight/runtime.h"

using namespace limelight;

void bench::write_f32(const std::filesystem::path& path, const float* values, int64_t count) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(values), count * static_cast<int64_t>(sizeof(float)));
  if (!file.flush()) throw std::runtime_error(path.string() + ": cannot be written");
}

namespace {

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

std::string answer(const std::string& line, std::unique_ptr<bench::Work>& work) {
  std::istringstream words(line);
  std::string command, folder;
  double number = 0;
  words >> command;
  if (command == "hello") return version() + " (" + active_isa() + ")";
  if (command == "case" || command == "model") {
    work.reset();  // frees the one before
    work = command == "case" ? bench::attention_work(words) : bench::model_work(words);
    return "";
  }
  if (command == "peak" && words >> number) return text_of(measure_peak_flops(static_cast<int>(number)));
  if (command == "bandwidth" && words >> number) return text_of(measure_read_bandwidth(static_cast<int>(number)));
  if (work && command == "time" && words >> number) return text_of(work->time(number));
  if (work && command == "save" && std::getline(words >> std::ws, folder)) {
    work->save(folder);
    return "";
  }
  throw std::invalid_argument("not understood: " + line);
}

}  // namespace

int main() {
  std::unique_ptr<bench::Work> work;
  for (std::string line; std::getline(std::cin, line);) {
    try {
      const std::string found = answer(line, work);
      std::cout << "ok " << found << std::endl;
    } catch (const std::exception& error) {
      std::cout << "no " << error.what() << std::endl;
    }
  }
}
