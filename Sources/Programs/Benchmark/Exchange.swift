/// The request that a measured server is sent again and again, and how its answers are told apart.
struct Exchange: Sendable {
  let request: [UInt8]
  /// How an answer ends.
  let framing: Framing

  /// How answers are framed.
  enum Framing: Sendable {
    /// Each answer ends with a line feed.
    case lines
    /// Each answer begins with its length as 32 bits, the highest first.
    case lengths
  }

  /// A call of a method of the control interface.
  static func call(_ method: String) -> Exchange {
    Exchange(
      request: Array(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)"}"#.utf8) + [0x0A],
      framing: .lines
    )
  }

  /// The request of ssh-agent for its keys: SSH_AGENTC_REQUEST_IDENTITIES.
  static let agentKeys = Exchange(request: [0, 0, 0, 1, 11], framing: .lengths)
}

/// Counts the answers in a stream of bytes.
struct AnswerCounter {
  let framing: Exchange.Framing
  private var header: [UInt8] = []
  private var missing = 0

  init(_ framing: Exchange.Framing) { self.framing = framing }

  mutating func count(_ bytes: UnsafeRawBufferPointer) -> Int {
    switch framing {
    case .lines: bytes.count { $0 == 0x0A }
    case .lengths: countLengths(bytes)
    }
  }

  private mutating func countLengths(_ bytes: UnsafeRawBufferPointer) -> Int {
    var answers = 0
    var position = 0
    while position < bytes.count {
      if missing == 0 {
        header.append(bytes[position])
        position += 1
        guard header.count == 4 else { continue }
        missing = header.reduce(0) { $0 << 8 | Int($1) }
        header = []
        if missing == 0 { answers += 1 }
      } else {
        let part = min(missing, bytes.count - position)
        position += part
        missing -= part
        if missing == 0 { answers += 1 }
      }
    }
    return answers
  }
}
