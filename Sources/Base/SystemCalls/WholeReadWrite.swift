internal import Glibc

/// Reads to the end of a file, a pipe or a terminal.
///
/// Throws `EFBIG` if the content is longer than the limit.
///
/// The function does not ask for the length first, because files of /proc and /sys do not report it.
public func readWhole(_ descriptor: Int32, atMost limit: Int) throws(SystemError) -> [UInt8] {
  var (bytes, filled) = ([UInt8](repeating: 0, count: min(limit + 1, 4096)), 0)
  while true {
    let count = bytes.withUnsafeMutableBytes {
      let room = UnsafeMutableRawBufferPointer(rebasing: $0[filled...])
      return read(descriptor, room.baseAddress, room.count)
    }
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { throw SystemError("read") }
    filled += count
    guard filled <= limit else { throw SystemError("read", code: EFBIG) }
    guard count > 0 else { return Array(bytes.prefix(filled)) }
    if filled == bytes.count { bytes += repeatElement(0, count: min(filled, limit + 1 - filled)) }
  }
}

/// Writes all bytes to a file, a pipe or a terminal, also after partial writes.
public func writeWhole(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count > 0 {
      rest = rest.dropFirst(count)
    } else if count < 0, errno == EAGAIN {
      // Another program has set the terminal or pipe to non-blocking, so this one waits for space.
      var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      poll(&request, 1, -1)
    } else if count == 0 || errno != EINTR {
      throw SystemError("write")
    }
  }
}
