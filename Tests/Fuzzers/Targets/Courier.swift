import CourierProtocol
import PushRelay

@testable import CurlClient

extension FuzzTarget {
  /// Messages between the daemon and its courier, in both directions, and response headers for the courier.
  static let courier = [
    FuzzTarget("courier-order") { stream in
      try messages(of: stream) { message in
        let order = try CourierOrder(parsing: message)
        _ = try CourierOrder(parsing: order.serialized[...])
      }
    },
    FuzzTarget("courier-reply") { stream in
      try messages(of: stream) { message in
        let reply = try CourierReply(parsing: message)
        _ = try CourierReply(parsing: reply.serialized[...])
      }
    },
    FuzzTarget("http-header") { bytes in
      let state = TransferState(maximumBody: 1024, permitted: .any)
      for line in bytes.split(separator: 0x0A) {
        guard line.withUnsafeBytes({ state.takeHeader($0) }) else { return }
      }
    },
  ]

  /// Parses each message of a stream.
  ///
  /// A rejected message does not end the stream.
  private static func messages(of stream: [UInt8], _ read: (ArraySlice<UInt8>) throws -> Void) throws {
    var reader = CourierFrameReader()
    reader.append(stream)
    while let message = try reader.next() { try? read(message) }
  }
}
