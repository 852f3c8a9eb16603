package import WebAddress

/// The number that connects a response with its request, chosen by who asks, once a connection.
package struct ExchangeID: RawRepresentable, Hashable, Sendable {
  /// The number, from 1 up.
  package let rawValue: Int

  /// An id from its number; `nil` for one that JSON readers may not keep exact.
  package init?(rawValue: Int) {
    guard (1...Self.maximum).contains(rawValue) else { return nil }
    self.rawValue = rawValue
  }

  private init(unchecked rawValue: Int) { self.rawValue = rawValue }

  /// The first id of a connection.
  package static let first = ExchangeID(unchecked: 1)

  /// The id after this one.
  package var next: ExchangeID { ExchangeID(unchecked: rawValue % Self.maximum + 1) }

  private static let maximum = 1 << 53 - 1
}

/// What `mfad` says to the courier.
package enum CourierOrder: Sendable {
  /// Carry this and answer.
  case request(ExchangeID, CourierRequest)
  /// Wait for this redirect: say where at once, and what came when it came.
  case listen(ExchangeID, ExpectedRedirect)
  /// Hold a subscription at a relay: hand on every line as it comes, and say how it ended.
  case subscribe(ExchangeID, WebURL)
  /// The response, the redirect or the subscription is not wanted any more.
  case cancel(ExchangeID)
}

/// What the courier says to `mfad`.
package enum CourierReply: Sendable {
  case response(ExchangeID, CourierResponse)
  /// The redirect is waited for on this port of the loopback; what became of it follows.
  case listening(ExchangeID, port: UInt16)
  /// A line of a subscription; a response or a failure says later that there will be no more.
  case line(ExchangeID, [UInt8])
  /// The redirect came, with this query exactly as the browser sent it; its port stays taken until it is cancelled.
  case redirected(ExchangeID, query: String)
  /// There is no response or no redirect, and why.
  case failure(ExchangeID, CourierFailure)
}

/// Why an order was not understood.
package enum CourierOrderError: Error, Equatable {
  /// It can be answered, with this failure.
  case refused(ExchangeID, CourierFailure)
  /// It cannot be connected with any exchange; the connection ends over it.
  case unreadable
}

/// A reply that was not understood; the connection ends over it.
package struct CourierReplyUnreadable: Error {}
