// Waits are cut into short ones, so that the end of the program interrupts them.
#include "http_connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace limelight::studio {

HttpConnection::HttpConnection(int socket, const std::atomic<bool>& ending, const std::atomic<int>& others)
    : socket_(socket), ending_(ending), others_(others) {}

HttpConnection::~HttpConnection() {
  ::shutdown(socket_, SHUT_WR);
  drain();
  ::close(socket_);
}

// Closing with bytes unread would reset the connection, and take the response back.
void HttpConnection::drain() {
  constexpr size_t kMost = size_t{8} << 20;
  const auto until = Clock::now() + kDrained;
  for (size_t drained = 0; drained < kMost && fill(until); drained += end_) begin_ = end_;
}

bool HttpConnection::wait(short events, Clock::time_point until) const {
  constexpr auto kSlice = std::chrono::milliseconds(50);
  do {
    const auto rest = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    if (rest.count() <= 0) return false;
    pollfd waiting{socket_, events, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::min(rest, kSlice).count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  } while (!ending_ && !(idle_ && others_ > 0));
  return false;
}

bool HttpConnection::fill(Clock::time_point until) {
  if (begin_ < end_) return true;
  if (!wait(POLLIN, until)) return false;
  const ssize_t got = ::recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
  if (got <= 0) return false;
  begin_ = 0;
  end_ = static_cast<size_t>(got);
  return true;
}

bool HttpConnection::begin_request() {
  refusal_ = 0;
  idle_ = true;
  const bool here = fill(Clock::now() + kIdle);
  idle_ = false;
  if (!here) return false;
  until_ = Clock::now() + kWhole;
  may_read_ = kMostHead;
  part_ = Part::kRequestLine;
  line_ = 0;
  return true;
}

bool HttpConnection::left() const {
  pollfd asked{socket_, POLLRDHUP, 0};
  return ::poll(&asked, 1, 0) > 0 && (asked.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

bool HttpConnection::lines_fit(const char* bytes, size_t count) {
  for (size_t i = 0; i < count && part_ != Part::kBody; ++i) {
    ++line_;
    if (part_ == Part::kHeader && line_ > kMostLine) return false;
    if (bytes[i] != '\n') continue;
    part_ = Part::kHeader;
    line_ = 0;
  }
  return true;
}

ssize_t HttpConnection::read(char* to, size_t size) {
  if (may_read_ == 0) {
    refusal_ = 431;
    return -1;
  }
  if (!fill(until_)) {
    if (Clock::now() >= until_) refusal_ = 408;
    return -1;
  }
  const size_t count = std::min({size, end_ - begin_, may_read_});
  std::memcpy(to, buffer_.data() + begin_, count);
  begin_ += count;
  may_read_ -= count;
  if (!lines_fit(to, count)) {
    refusal_ = 431;
    return -1;
  }
  return static_cast<ssize_t>(count);
}

ssize_t HttpConnection::write(const char* from, size_t size) {
  const auto until = Clock::now() + kWritten;
  for (;;) {
    const ssize_t sent = ::send(socket_, from, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) return sent;
    if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) return -1;
    if (!wait(POLLOUT, until)) return -1;
  }
}

void HttpConnection::get_remote_ip_and_port(std::string& ip, int& port) const {
  ip = "127.0.0.1";
  port = 0;
}

void HttpConnection::get_local_ip_and_port(std::string& ip, int& port) const {
  get_remote_ip_and_port(ip, port);
}

}  // namespace limelight::studio
