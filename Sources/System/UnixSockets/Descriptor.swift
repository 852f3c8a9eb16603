import Glibc
public import SystemCalls

/// A file descriptor with one owner, closed at deallocation.
public final class Descriptor: Sendable {
  public let number: Int32

  /// Takes ownership of an open descriptor.
  public init(owning number: Int32) { self.number = number }

  deinit { close(number) }

  /// Makes reads and writes return immediately instead of blocking.
  public func setNonBlocking() throws(SystemError) {
    let flags = fcntl(number, F_GETFL)
    guard flags >= 0, fcntl(number, F_SETFL, flags | O_NONBLOCK) >= 0 else { throw SystemError("fcntl") }
  }

  /// Reads available data, up to the size of the buffer; returns 0 at the end of the stream, `nil` if there
  /// is no data.
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

  /// Sends as many bytes as fit now; returns their number.
  ///
  /// A closed peer is an error, not a signal.
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
