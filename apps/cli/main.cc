// limelight: one subcommand a file, added here.
#include <csignal>

#include "command_line.h"
#include "commands.h"
#include "output.h"
#include "shorter_file.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is then an error of write(), handled where output is written
  std::signal(SIGXFSZ, SIG_IGN);  // so is a file beyond the limit
  limelight::cli::expect_shorter_files();
  limelight::cli::CommandLine line;
  limelight::cli::add_look(line);
  limelight::cli::add_heads(line);
  limelight::cli::add_tokens(line);
  limelight::cli::add_generate(line);
  limelight::cli::add_embed(line);
  limelight::cli::add_dump(line);
  limelight::cli::add_attend(line);
  limelight::cli::add_models(line);
  limelight::cli::add_info(line);
  limelight::cli::add_bench(line);
  limelight::cli::add_studio(line);
  return line.run(argc, argv);
}
