// cpp-httplib parses and writes; who may ask, for how long and how much is decided here and in what it is given.
#include "http_server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/error.h"
#include "http_connection.h"
#include "http_rules.h"
#include "jobs.h"
#include "page_files.h"

namespace limelight::studio {
namespace {

using Http = httplib::Request;

constexpr const char* kHost = "127.0.0.1";
constexpr int kConnections = 96;  // at once; others wait for one of them to end, or to have nothing to say
constexpr int kRequestsAConnection = 1000;
constexpr auto kLook = std::chrono::milliseconds(20);  // between two looks whether the other side has left

// What is known of the request that this thread answers besides what cpp-httplib keeps.
struct Exchange {
  HttpConnection& connection;
  std::optional<HttpRefusal> refused = std::nullopt;
  bool heard = false;  // its head was understood, so that where it ends is known
  bool gzip = false;
};
thread_local Exchange* exchange = nullptr;

// A thread for each connection, and how many more connections there are than threads.
class Turns : public httplib::TaskQueue {
 public:
  explicit Turns(std::atomic<int>& waiting) : waiting_(waiting) { waiting_ = -kConnections; }

  void enqueue(std::function<void()> connection) override {
    ++waiting_;
    threads_.enqueue([this, connection = std::move(connection)] {
      connection();
      --waiting_;
    });
  }
  void shutdown() override { threads_.shutdown(); }

 private:
  std::atomic<int>& waiting_;
  httplib::ThreadPool threads_{static_cast<size_t>(kConnections)};
};

std::vector<std::string> values(const Http& request, const char* header) {
  std::vector<std::string> all;
  const auto [first, end] = request.headers.equal_range(header);
  for (auto at = first; at != end; ++at) all.push_back(at->second);
  return all;
}

HttpHead head_of(const Http& request) {
  return {.method = request.method,
          .path = request.path,
          .host = values(request, "Host"),
          .origin = values(request, "Origin"),
          .site = values(request, "Sec-Fetch-Site"),
          .content_type = values(request, "Content-Type"),
          .content_length = values(request, "Content-Length"),
          .content_encoding = values(request, "Content-Encoding"),
          .transfer_encoding = values(request, "Transfer-Encoding")};
}

void put_reply(const Reply& reply, httplib::Response& response) {
  response.status = reply.status;
  response.set_content(reply.body, "application/json");
}

void put_refusal(const HttpRefusal& refused, httplib::Response& response) {
  put_reply(error_reply(refused.status, refused.message), response);
}

// cpp-httplib says 400 whatever kept it from reading a header.
void put_unheard(httplib::Response& response) {
  response.set_header("Connection", "close");
  const int refusal = exchange->connection.refusal();
  if (refusal == 0 || response.status != 400) return;
  response.status = refusal;
  const char* why = refusal == 408 ? "the request did not come whole in time" : "the header is too long";
  put_refusal({refusal, why}, response);
}

std::string event(const Job::News& news) {
  using Kind = Job::News::Kind;
  const char* name = news.kind == Kind::kProgress ? "progress" : news.kind == Kind::kPart ? "part" : "result";
  if (news.kind == Kind::kReply && news.status != 200) name = "error";
  return fmt::format("event: {}\ndata: {}\n\n", name, news.json);
}

}  // namespace

class HttpServer::Server : public httplib::Server {
 public:
  explicit Server(Studio& studio) : jobs_(studio) {
    new_task_queue = [this] { return new Turns(waiting_); };
    set_payload_max_length(static_cast<size_t>(Limits::kBodyBytes));
    set_tcp_nodelay(true);
    set_keep_alive_max_count(kRequestsAConnection);
    set_keep_alive_timeout(std::chrono::seconds(HttpConnection::kIdle).count());
    // Not SO_REUSEPORT, under which two programs could share the port.
    set_socket_options([](int socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    set_default_headers({{"X-Content-Type-Options", "nosniff"},
                         {"Referrer-Policy", "no-referrer"},
                         {"Cross-Origin-Resource-Policy", "same-origin"},
                         {"Content-Security-Policy", kContentPolicy}});
    set_pre_routing_handler([this](const Http& request, httplib::Response& response) {
      return answered_at_once(request, response) ? HandlerResponse::Handled : HandlerResponse::Unhandled;
    });
    set_error_handler([](const Http&, httplib::Response& response) {
      if (!exchange->heard) put_unheard(response);
      if (response.body.empty()) put_refusal({response.status, "the request cannot be answered"}, response);
    });
    Post("/api/[a-z]+", [this](const Http& request, httplib::Response& response) { call(request, response); });
  }

  ~Server() override { ending_ = true; }

  void take(int port) {
    port_ = port == 0 ? bind_to_any_port(kHost) : bind_to_port(kHost, port) ? port : -1;
    if (port_ < 0)
      detail::fail_file(fmt::format("port {}: it is taken or not allowed; choose another by --port", port));
    // cpp-httplib lets 5 wait to be accepted; of more that come at once the system resets some.
    ::listen(svr_sock_, SOMAXCONN);
  }

  int port() const { return port_; }

  void end() {
    ending_ = true;
    // Before it listens there is nothing to stop.
    for (int waits = 0; waits < 100 && !is_running(); ++waits)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    stop();
  }

 private:
  bool process_and_close_socket(socket_t socket) override {
    HttpConnection connection(socket, ending_, waiting_);
    bool closed = false;
    for (int left = kRequestsAConnection; left > 0 && !closed && !ending_; --left) {
      if (!connection.begin_request()) break;
      Exchange now{connection};
      exchange = &now;
      const bool done = process_request(connection, left == 1, closed, [&](Http& request) { prepare(request, now); });
      exchange = nullptr;
      if (!done) {
        refuse_unfinished(connection);
        break;
      }
      // What follows a head that was not understood is its body, perhaps another request that a page of another site
      // has put there.
      closed = closed || now.refused || !now.heard;
    }
    return true;
  }

  // Before anything is done for it. A body that will not be read ends the connection.
  void prepare(Http& request, Exchange& now) const {
    now.heard = true;
    now.refused = refusal(head_of(request), port_);
    now.gzip = request.get_header_value("Accept-Encoding").find("gzip") != std::string::npos;
    request.headers.erase("Accept-Encoding");  // files are compressed already, answers are not worth it
    request.headers.erase("Range");
    request.ranges.clear();
    now.connection.expect_body(now.refused ? 0 : static_cast<size_t>(Limits::kBodyBytes));
    if (!now.refused) return;
    request.headers.erase("Connection");
    request.set_header("Connection", "close");
  }

  static void refuse_unfinished(HttpConnection& connection) {
    if (connection.refusal() == 0) return;
    const char* reason = connection.refusal() == 408 ? "408 Request Timeout" : "431 Request Header Fields Too Large";
    const std::string text = fmt::format("HTTP/1.1 {}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", reason);
    connection.write(text.data(), text.size());
  }

  // Refusals, and files of the page, which need no body.
  static bool answered_at_once(const Http& request, httplib::Response& response) {
    if (exchange->refused) {
      put_refusal(*exchange->refused, response);
      return true;
    }
    if (request.path.starts_with("/api/")) return false;
    const PageFile file = page_file(request.path, values(request, "If-None-Match"), exchange->gzip);
    response.status = file.status;
    for (const auto& [name, value] : file.headers) response.set_header(name, value);
    if (!file.body.empty()) response.set_content(file.body.data(), file.body.size(), file.type);
    return true;
  }

  void call(const Http& request, httplib::Response& response) {
    response.set_header("Cache-Control", "no-store");
    std::shared_ptr<Job> job = jobs_.start({request.path.substr(sizeof("/api/") - 1), request.body});
    if (!job) {
      response.set_header("Retry-After", "1");
      return put_reply(error_reply(503, "too much is being asked at once; try again"), response);
    }
    if (request.get_header_value("Accept").find("text/event-stream") != std::string::npos) {
      response.set_chunked_content_provider("text/event-stream", [this, job](size_t, httplib::DataSink& sink) {
        stream(job, sink);
        sink.done();
        return true;
      });
      return;
    }
    const auto nothing = [](const Job::News&) { return true; };
    if (const auto reply = follow(job, nothing)) put_reply({reply->status, reply->json}, response);
  }

  void stream(const std::shared_ptr<Job>& job, httplib::DataSink& sink) {
    const auto write = [&](const Job::News& news) {
      const std::string text = event(news);
      return sink.write(text.data(), text.size());
    };
    if (const auto reply = follow(job, write)) write(*reply);
  }

  // Tells all news but the reply, which it returns; nothing where the other side has left.
  template <class Tell>
  std::optional<Job::News> follow(const std::shared_ptr<Job>& job, const Tell& tell) {
    for (;;) {
      std::optional<Job::News> news = job->next(kLook);
      if (news && news->kind == Job::News::Kind::kReply) return news;
      if (ending_ || exchange->connection.left() || (news && !tell(*news))) {
        jobs_.leave(job);
        return std::nullopt;
      }
    }
  }

  std::atomic<bool> ending_ = false;
  std::atomic<int> waiting_ = 0;
  int port_ = 0;
  Jobs jobs_;
};

HttpServer::HttpServer(Studio& studio) : server_(std::make_unique<Server>(studio)) {}
HttpServer::~HttpServer() = default;

void HttpServer::bind(int port) {
  server_->take(port);
}

int HttpServer::port() const {
  return server_->port();
}

void HttpServer::run() {
  server_->listen_after_bind();
}

void HttpServer::stop() {
  server_->end();
}

}  // namespace limelight::studio
