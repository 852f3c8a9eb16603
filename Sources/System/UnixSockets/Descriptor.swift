import Glibc
public import SystemCalls

/// A file descriptor with one owner, which closes it when it goes.
public final class Descriptor: Sendable {
  /// The number by which the kernel knows it.
  public let number: Int32

  /// Takes over an open descriptor.
  public init(owning number: Int32) { self.number = number }

  deinit { close(number) }

  /// Makes reads and writes return at once instead of waiting.
  public func setNonBlocking() throws(SystemError) {
    let flags = fcntl(number, F_GETFL)
    guard flags >= 0, fcntl(number, F_SETFL, flags | O_NONBLOCK) >= 0 else { throw SystemError("fcntl") }
  }

  /// Reads what is there, at most as much as the buffer holds: 0 at the end of the stream, `nil` if nothing is there.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int? {
    while true {
      let count = Glibc.read(number, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      switch errno {
      case EINTR: continue
      case EAGAIN: return nil
      default: throw SystemError("read")
      }
    }
  }

  /// Sends as much as fits now and returns how much; a peer that is gone is an error, not a signal.
  public func send(_ buffer: UnsafeRawBufferPointer) throws(SystemError) -> Int {
    while true {
      let count = Glibc.send(number, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
      if count >= 0 { return count }
      switch errno {
      case EINTR: continue
      case EAGAIN: return 0
      default: throw SystemError("send")
      }
    }
  }
}
