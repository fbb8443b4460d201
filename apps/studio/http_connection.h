// One connection of the server: bounded in time and size, and able to say whether the other side has left.
#pragma once

#include <httplib.h>

#include <array>
#include <atomic>
#include <chrono>

namespace limelight::studio {

class HttpConnection : public httplib::Stream {
 public:
  static constexpr size_t kMostHead = 64 << 10;             // bytes of a request line and its header
  static constexpr size_t kMostLine = 8 << 10;              // and of a line of the header, as cpp-httplib has it
  static constexpr auto kWhole = std::chrono::seconds(10);  // from its first byte until a request is here, all of it
  static constexpr auto kIdle = std::chrono::seconds(30);   // between two requests
  static constexpr auto kDrained =
      std::chrono::seconds(1);  // a last response is to arrive, whatever is still being sent
  static constexpr auto kWritten = std::chrono::seconds(10);  // until the other side takes more of a response

  // Owns the socket. `ending` interrupts every wait; `others`, who wait for their turn, that for a request.
  HttpConnection(int socket, const std::atomic<bool>& ending, const std::atomic<int>& others);
  ~HttpConnection() override;
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  // Waits for the first byte of a request; its head may follow, and where it is expected a body of so many bytes.
  bool begin_request();
  void expect_body(size_t most) {
    part_ = Part::kBody;
    may_read_ = most;
  }

  // Whether the other side has closed, or closed its sending half.
  bool left() const;

  // The status that a request which never became whole deserves: 408 or 431; 0 where the other side just left.
  int refusal() const { return refusal_; }

  bool is_readable() const override { return true; }
  bool is_writable() const override { return !left(); }
  ssize_t read(char* to, size_t size) override;
  ssize_t write(const char* from, size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  using Clock = std::chrono::steady_clock;
  enum class Part { kRequestLine, kHeader, kBody };

  bool wait(short events, Clock::time_point until) const;
  bool fill(Clock::time_point until);
  void drain();
  bool lines_fit(const char* bytes, size_t count);

  const int socket_;
  const std::atomic<bool>& ending_;
  const std::atomic<int>& others_;
  bool idle_ = false;  // between two requests
  std::array<char, 4096> buffer_;
  size_t begin_ = 0, end_ = 0;
  Clock::time_point until_{};
  size_t may_read_ = 0;
  Part part_ = Part::kRequestLine;
  size_t line_ = 0;  // bytes of the line that is being read
  int refusal_ = 0;
};

}  // namespace limelight::studio
