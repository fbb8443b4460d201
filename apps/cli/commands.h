// The subcommands. Each file declares the arguments of its own and what they do.
#pragma once

namespace limelight::cli {

class CommandLine;

void add_look(CommandLine& line);
void add_heads(CommandLine& line);
void add_tokens(CommandLine& line);
void add_generate(CommandLine& line);
void add_embed(CommandLine& line);
void add_dump(CommandLine& line);
void add_attend(CommandLine& line);
void add_models(CommandLine& line);
void add_info(CommandLine& line);
void add_bench(CommandLine& line);
void add_studio(CommandLine& line);

}  // namespace limelight::cli
