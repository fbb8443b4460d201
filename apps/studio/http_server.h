// The studio over HTTP: the page's files, and its calls, for this machine alone.
#pragma once

#include <memory>

#include "answer.h"

namespace limelight::studio {

class HttpServer {
 public:
  explicit HttpServer(Studio& studio);
  ~HttpServer();

  // Takes a port of 127.0.0.1, 0: any that is free. Throws FileError when it cannot.
  void bind(int port);
  int port() const;

  void run();   // until stop()
  void stop();  // from another thread, once run() runs; cancels what is under way

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace limelight::studio
