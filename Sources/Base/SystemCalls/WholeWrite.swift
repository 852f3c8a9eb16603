internal import Glibc

/// Writes all of it to a file, a pipe or a terminal, which may take a part at a time.
package func writeWhole(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count > 0 {
      rest = rest.dropFirst(count)
    } else if count < 0, errno == EAGAIN {
      // A terminal that another program left non-blocking.
      var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      poll(&request, 1, -1)
    } else if count == 0 || errno != EINTR {
      throw SystemError("write")
    }
  }
}
