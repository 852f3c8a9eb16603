public import JSON

/// The reply to a request as one line, JSON-RPC 2.0 section 5.
public struct RPCReply: Sendable {
  /// The reply as one line, including its terminator.
  public let line: [UInt8]

  public let id: RequestID

  /// Maximum length of a reply in bytes, without the terminator.
  public static let maximumLength = 1 << 20

  /// Creates a reply with the result that `write` writes; a result above the maximum length becomes an error.
  public init(id: RequestID, result write: (inout JSONWriter) -> Void) {
    var writer = Self.start(id, ",\"result\":")
    write(&writer)
    writer.closeObject()
    self =
      writer.length <= Self.maximumLength
      ? Self(id: id, line: Self.end(writer)) : Self(id: id, error: .resultTooLarge)
  }

  /// Creates an error reply.
  public init(id: RequestID, error: RPCError) {
    var writer = Self.start(id, ",\"error\":")
    writer.write(error.json)
    writer.closeObject()
    self.init(id: id, line: Self.end(writer))
  }

  private init(id: RequestID, line: [UInt8]) { (self.id, self.line) = (id, line) }

  /// The reply without the line terminator.
  public var bytes: ArraySlice<UInt8> { line.dropLast() }

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

  /// Returns a notification from the daemon to a client as one line.
  public static func notification(_ method: String, params write: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter(capacity: 1024)
    writer.append(#"{"jsonrpc":"2.0","method":"#)
    writer.write(method)
    writer.append(#","params":"#)
    write(&writer)
    writer.closeObject()
    return end(writer)
  }
}

/// The replies to a batch, which are sent together.
///
/// If a batch is longer than the maximum length of one reply, errors replace its largest results.
public struct RPCBatchReply {
  private var replies: [RPCReply] = []
  /// Length of the combined line, including brackets and commas.
  private var length = 1

  public init() {}

  /// Size of the allocated replies in bytes.
  public var heldCount: Int { replies.reduce(0) { $0 + $1.line.capacity } }

  /// Adds a reply; while the line is too long, the largest result becomes an error.
  public mutating func add(_ reply: RPCReply) {
    replies.append(reply)
    length += reply.bytes.count + 1
    while length > RPCReply.maximumLength,
      let largest = replies.indices.max(by: { replies[$0].bytes.count < replies[$1].bytes.count })
    {
      let short = RPCReply(id: replies[largest].id, error: .resultTooLarge)
      guard short.bytes.count < replies[largest].bytes.count else { return }
      length -= replies[largest].bytes.count - short.bytes.count
      replies[largest] = short
    }
  }

  /// The replies as one line, including its terminator; `nil` if no request expects a reply.
  public var line: [UInt8]? {
    guard !replies.isEmpty else { return nil }
    var line: [UInt8] = []
    line.reserveCapacity(length + 2)
    for reply in replies {
      line.append(UInt8(ascii: line.isEmpty ? "[" : ","))
      line += reply.bytes
    }
    line += "]\n".utf8
    return line
  }
}
