/// The replies to a batch, which leave together: as they come in, never more of them is held than fits one line.
package struct RPCBatchReply {
  private var replies: [RPCReply] = []
  /// Of the line that they make: brackets and commas too.
  private var length = 1

  package init() {}

  /// How much memory the replies hold, in bytes.
  package var heldCount: Int { replies.reduce(0) { $0 + $1.line.capacity } }

  /// Adds a reply; as long as the line would be too long, the largest result becomes an error.
  package mutating func add(_ reply: RPCReply) {
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

  /// The replies as one line, with its end; `nil` when no request wants one.
  package var line: [UInt8]? {
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
