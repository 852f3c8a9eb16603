package import JSON

/// The line that answers one request, JSON-RPC 2.0 section 5.
package struct RPCReply: Sendable {
  /// The reply as one line, without its end.
  package let bytes: [UInt8]

  package let id: RequestID

  /// The longest line that is sent, in bytes.
  package static let maximumLength = 1 << 20

  /// The reply of a method that succeeded, whose result is written; one that is too large becomes an error.
  package init(id: RequestID, result write: (inout JSONWriter) -> Void) {
    var writer = Self.start(id, ",\"result\":")
    write(&writer)
    writer.closeObject()
    self =
      writer.length <= Self.maximumLength
      ? Self(id: id, bytes: writer.finish()) : Self(id: id, error: .resultTooLarge)
  }

  /// The reply of a method that failed.
  package init(id: RequestID, error: RPCError) {
    var writer = Self.start(id, ",\"error\":")
    writer.write(error.json)
    writer.closeObject()
    self.init(id: id, bytes: writer.finish())
  }

  private init(id: RequestID, bytes: [UInt8]) { (self.id, self.bytes) = (id, bytes) }

  private static func start(_ id: RequestID, _ member: StaticString) -> JSONWriter {
    var writer = JSONWriter(capacity: 1024)
    writer.append(#"{"jsonrpc":"2.0","id":"#)
    writer.write(raw: id.bytes)
    writer.append(member)
    return writer
  }

  /// A line that nobody asked for: a notification from the program to its client.
  package static func notification(_ method: String, params write: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter(capacity: 1024)
    writer.append(#"{"jsonrpc":"2.0","method":"#)
    writer.write(method)
    writer.append(#","params":"#)
    write(&writer)
    writer.closeObject()
    return writer.finish()
  }
}
