package import JSON

/// The line that answers one request, JSON-RPC 2.0 section 5.
package struct RPCReply: Sendable {
  /// The reply as one line, with its end.
  package let line: [UInt8]

  package let id: RequestID

  /// The longest line that is sent, in bytes without its end.
  package static let maximumLength = 1 << 20

  /// The reply of a method that succeeded, whose result is written; one that is too large becomes an error.
  package init(id: RequestID, result write: (inout JSONWriter) -> Void) {
    var writer = Self.start(id, ",\"result\":")
    write(&writer)
    writer.closeObject()
    self =
      writer.length <= Self.maximumLength
      ? Self(id: id, line: Self.end(writer)) : Self(id: id, error: .resultTooLarge)
  }

  /// The reply of a method that failed.
  package init(id: RequestID, error: RPCError) {
    var writer = Self.start(id, ",\"error\":")
    writer.write(error.json)
    writer.closeObject()
    self.init(id: id, line: Self.end(writer))
  }

  private init(id: RequestID, line: [UInt8]) { (self.id, self.line) = (id, line) }

  /// The reply without the end of its line.
  package var bytes: ArraySlice<UInt8> { line.dropLast() }

  private static func start(_ id: RequestID, _ member: StaticString) -> JSONWriter {
    var writer = JSONWriter(capacity: 1024)
    writer.append(#"{"jsonrpc":"2.0","id":"#)
    writer.write(raw: id.bytes)
    writer.append(member)
    return writer
  }

  private static func end(_ writer: consuming JSONWriter) -> [UInt8] {
    writer.append("\n")
    return writer.finish()
  }

  /// A line that nobody asked for: a notification from the program to its client.
  package static func notification(_ method: String, params write: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter(capacity: 1024)
    writer.append(#"{"jsonrpc":"2.0","method":"#)
    writer.write(method)
    writer.append(#","params":"#)
    write(&writer)
    writer.closeObject()
    return end(writer)
  }
}
