// limelight studio: the lesson, the spotlight and the long view in a browser, served to this machine alone.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <future>
#include <memory>

#include "command_line.h"
#include "commands.h"
#include "core/error.h"
#include "interrupt.h"
#include "models_folder.h"
#include "output.h"
#include "studio/http_server.h"

extern char** environ;

namespace limelight::cli {
namespace {

constexpr int64_t kUsualPort = 8423;

studio::ShelfModel shelf_model(const KnownModel& model) {
  const std::string name(model.name);
  return {.name = name,
          .kind = std::string(model.kind),
          .command = fetch_command(model.name),
          .writes = model.writes,
          .present = [&model] { return is_present(model); },
          .load = [name] { return load_model(name); },
          .facts = [name] { return model_facts(name); }};
}

// A model given by its path: it is here, and its own facts tell the rest.
studio::ShelfModel shelf_model(const std::string& path) {
  const studio::ReaderFacts facts = model_facts(path);
  const bool writes = facts.output == "logits";
  return {.name = facts.name,
          .kind = writes ? "decoder" : "encoder",
          .command = "",
          .writes = writes,
          .present = [] { return true; },
          .load = [path] { return load_model(path); },
          .facts = [facts] { return facts; }};
}

// Where there is a desktop; nothing hangs on whether it works.
void open_in_browser(std::string address) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  std::string command = "xdg-open";
  char* const arguments[] = {command.data(), address.data(), nullptr};
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&quiet, output, "/dev/null", O_WRONLY, 0);
  }
  pid_t process = 0;
  posix_spawnp(&process, command.c_str(), &quiet, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&quiet);
}

struct Serve {
  std::optional<int64_t> port;
  std::string model;
  bool no_open = false;

  void run() const {
    std::vector<studio::ShelfModel> models;
    std::string usual;
    if (!model.empty()) usual = model_facts(model).name;  // says what is wrong before anything is served
    if (!model.empty() && !is_known(model)) models.push_back(shelf_model(model));
    for (const KnownModel& known : known_models()) models.push_back(shelf_model(known));
    studio::Studio studio{{std::move(models), usual, studio::Limits::kTokens}};
    studio::HttpServer server(studio);
    take_port(server);
    serve(server, studio.models);
  }

 private:
  // While the browser opens. Whoever asks for a model that cannot be loaded is told then.
  static void load_ahead(studio::ModelShelf& shelf) {
    try {
      if (const auto usual = shelf.usual()) shelf.get(*usual);
    } catch (const std::exception&) {
    }
  }

  // Where the usual port is taken another one serves as well; a port that was asked for does not.
  void take_port(studio::HttpServer& server) const {
    if (port) return server.bind(static_cast<int>(*port));
    try {
      server.bind(kUsualPort);
    } catch (const FileError&) {
      server.bind(0);
    }
  }

  // A bound port takes connections, so its address is told first: where that fails, nothing has begun.
  void serve(studio::HttpServer& server, studio::ModelShelf& models) const {
    const Interrupt interrupt;
    const std::string address = fmt::format("http://127.0.0.1:{}", server.port());
    print(address + "\n");
    note("Ctrl-C ends it");
    if (!no_open) open_in_browser(address);
    // A future waits for its work when it goes, whatever is thrown.
    const auto loading = std::async(std::launch::async, [&] { load_ahead(models); });
    auto listening = std::async(std::launch::async, [&] { server.run(); });
    while (!interrupt.asked() && listening.wait_for(std::chrono::milliseconds(50)) == std::future_status::timeout) {
    }
    server.stop();
    listening.get();
  }
};

}  // namespace

void add_studio(CommandLine& line) {
  const auto serve = std::make_shared<Serve>();
  line.add("studio", "Open the lesson, the spotlight and the long view in a browser", "limelight studio",
           [serve] { serve->run(); })
      .number("--port", serve->port,
              fmt::format("The port of 127.0.0.1; {}, or any that is free, unless given", kUsualPort),
              {.least = 1, .most = 65535})
      .text("--model", serve->model, "The model shown first: a name (see: limelight models), a folder or a .gguf file",
            "MODEL")
      .flag("--no-open", serve->no_open, "Only print the address");
}

}  // namespace limelight::cli
