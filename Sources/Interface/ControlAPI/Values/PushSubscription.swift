/// Where encrypted pushes are left for an owner, and what for, as the W3C's Push API writes a `PushSubscription`.
package struct PushSubscription: ControlObject, Equatable {
  /// What a push is encrypted with (RFC 8291), both in base64url.
  package struct Keys: ControlObject, Equatable {
    package let publicKey: String
    package let authSecret: String

    package init(publicKey: String, authSecret: String) {
      (self.publicKey, self.authSecret) = (publicKey, authSecret)
    }

    package static let shape = Shape(
      Keys.init(publicKey:authSecret:),
      .required("p256dh", \.publicKey, as: .text(maximum: 128), "the receiver's key, base64url of the point"),
      .required("auth", \.authSecret, as: .text(maximum: 64), "what only senders know; secret")
    )
  }

  package let endpoint: String
  package let keys: Keys

  package init(endpoint: String, keys: Keys) { (self.endpoint, self.keys) = (endpoint, keys) }

  package static let shape = Shape(
    "PushSubscription",
    PushSubscription.init(endpoint:keys:),
    .required("endpoint", \.endpoint, as: .text(maximum: 4096), "where a push is posted to"),
    .required("keys", \.keys, "what it is encrypted with")
  )
}
