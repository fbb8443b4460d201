// The end of the program where a file that is mapped, as a model's or tensors', is made shorter by somebody else.
#pragma once

namespace limelight::cli {

// From here on that is one line on standard error and the exit code 1, not the end by a signal.
void expect_shorter_files();

}  // namespace limelight::cli
