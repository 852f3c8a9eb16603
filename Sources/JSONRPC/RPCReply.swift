package import JSON

/// The line that answers one request, JSON-RPC 2.0 section 5.
package struct RPCReply: Sendable {
  /// The reply as one line, without its end.
  package let bytes: [UInt8]

  /// The longest line that is sent, in bytes.
  package static let maximumLength = 1 << 20

  /// The reply of a method that succeeded; a result that is too large becomes an error.
  package init(id: RequestID, result: JSON) {
    var bytes = Self.start(id, "result")
    result.write(to: &bytes)
    bytes.append(UInt8(ascii: "}"))
    self = bytes.count <= Self.maximumLength ? Self(bytes: bytes) : Self(id: id, error: .resultTooLarge)
  }

  /// The reply of a method that failed.
  package init(id: RequestID, error: RPCError) {
    var bytes = Self.start(id, "error")
    error.json.write(to: &bytes)
    bytes.append(UInt8(ascii: "}"))
    self.init(bytes: bytes)
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private static func start(_ id: RequestID, _ member: StaticString) -> [UInt8] {
    var bytes = Array(#"{"jsonrpc":"2.0","id":"#.utf8)
    bytes.reserveCapacity(256)
    bytes += id.bytes
    bytes.append(contentsOf: #",""#.utf8)
    bytes.append(contentsOf: UnsafeBufferPointer(start: member.utf8Start, count: member.utf8CodeUnitCount))
    bytes.append(contentsOf: #"":"#.utf8)
    return bytes
  }

  /// The replies to a batch as one line; `nil` when none of its requests wants one.
  package static func batch(_ replies: [RPCReply]) -> [UInt8]? {
    guard !replies.isEmpty else { return nil }
    return [UInt8(ascii: "[")] + replies.map(\.bytes).joined(separator: [UInt8(ascii: ",")]) + [
      UInt8(ascii: "]")
    ]
  }

  /// A line that nobody asked for: a notification from the program to its client.
  package static func notification(method: String, params: JSON) -> [UInt8] {
    (["jsonrpc": "2.0", "method": .string(method), "params": params] as JSON).serialized
  }
}
