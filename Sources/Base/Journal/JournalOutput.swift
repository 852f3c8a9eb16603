import Glibc

/// A descriptor as the journal writes to it: without ever waiting for whoever reads the other end.
///
/// Other programs write to standard error too, so that it must not be made non-blocking for all of them. A socket, which
/// it is under systemd, is told so with each line. A pipe is opened once more, and that opening does not block. What
/// cannot be opened, such as the pipe of another user, is written to where poll(2) sees room for a line.
struct JournalOutput: Sendable {
  private let descriptor: Int32
  private let isSocket: Bool
  private let blocks: Bool

  /// A pipe takes so much as a whole or not at all.
  private static let longestLine = Int(PIPE_BUF)

  init(_ descriptor: Int32) {
    var status = stat()
    let kind = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
    isSocket = kind == S_IFSOCK
    let again = kind == S_IFIFO ? open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_CLOEXEC) : -1
    self.descriptor = again >= 0 ? again : descriptor
    blocks = !isSocket && again < 0
  }

  /// Writes a line with its end, whole or not at all; false if there is no room for it.
  func write(_ line: String) -> Bool {
    var bytes = Array(line.utf8.prefix(Self.longestLine - 1))
    bytes.append(UInt8(ascii: "\n"))
    guard !blocks || hasRoom else { return false }
    // One write a line: lines of several processes on one pipe do not mix.
    return bytes.withUnsafeBytes { bytes in
      isSocket
        ? send(
          descriptor,
          bytes.baseAddress,
          bytes.count,
          Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
        )
        : Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    } >= 0
  }

  private var hasRoom: Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&request, 1, 0) == 1 && request.revents & Int16(POLLOUT) != 0
  }
}
