/// The repeated request to a measured server, and the framing of its replies.
struct Exchange: Sendable {
  let request: [UInt8]
  let framing: Framing

  /// The framing of replies.
  enum Framing: Sendable {
    /// Each reply ends with a line feed, and begins with these bytes unless it is an error.
    case lines([UInt8])
    /// Each reply begins with its length in 32 bits, most significant byte first.
    case lengths
  }

  /// The exchange with this name: a method of the control interface, `ssh-agent`, `redis` or `echo`.
  init(named name: String) {
    switch name {
    case "ssh-agent": self = Self.agentKeys
    case "redis": self = Exchange(request: Array("PING\r\n".utf8), framing: .lines(Array("+PONG".utf8)))
    case "echo":
      // The length of a short request.
      let line = [UInt8](repeating: UInt8(ascii: "x"), count: 50)
      self = Exchange(request: line + [0x0A], framing: .lines(line))
    default: self = Exchange(request: Self.call(of: name), framing: Self.results)
    }
  }

  private init(request: [UInt8], framing: Framing) { (self.request, self.framing) = (request, framing) }

  /// Successful replies of the control interface.
  static let results = Framing.lines(Array(#"{"jsonrpc":"2.0","id":1,"result":"#.utf8))

  /// A call of a method of the control interface, with its parameters as JSON.
  static func call(of method: String, _ params: String? = nil) -> [UInt8] {
    let params = params.map { #","params":"# + $0 } ?? ""
    return Array((#"{"jsonrpc":"2.0","id":1,"method":"\#(method)"\#(params)}"# + "\n").utf8)
  }

  /// The request of ssh-agent for its keys: SSH_AGENTC_REQUEST_IDENTITIES.
  private static let agentKeys = Exchange(request: [0, 0, 0, 1, 11], framing: .lengths)
}
