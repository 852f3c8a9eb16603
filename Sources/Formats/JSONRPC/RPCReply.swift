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

  /// The replies to a batch as one line; `nil` when none of its requests wants one.
  ///
  /// The limit holds for the whole line: as long as it is too long, the largest result becomes an error.
  package static func batch(_ replies: [RPCReply]) -> [UInt8]? {
    guard !replies.isEmpty else { return nil }
    var replies = replies
    var length = replies.reduce(1) { $0 + $1.bytes.count + 1 }
    while length > maximumLength,
      let largest = replies.indices.max(by: { replies[$0].bytes.count < replies[$1].bytes.count })
    {
      let short = RPCReply(id: replies[largest].id, error: .resultTooLarge)
      guard short.bytes.count < replies[largest].bytes.count else { break }
      length -= replies[largest].bytes.count - short.bytes.count
      replies[largest] = short
    }
    return [UInt8(ascii: "[")] + replies.map(\.bytes).joined(separator: [UInt8(ascii: ",")]) + [
      UInt8(ascii: "]")
    ]
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
