package import OpenSSL

/// A secret of passcodes and how it is used.
package struct OATHSecret: Sendable {
  /// What a passcode is made for: a window of time, RFC 6238, or a count of uses, RFC 4226.
  package enum Moving: Sendable, Equatable {
    /// The length of a window in seconds.
    case time(period: Int)
    /// The count that the next passcode is for.
    case counter(Int)
  }

  package let secret: Secret
  package let algorithm: HashAlgorithm
  /// 6 to 8.
  package let digits: Int
  package let moving: Moving

  package init(secret: Secret, algorithm: HashAlgorithm, digits: Int, moving: Moving) {
    (self.secret, self.algorithm, self.digits, self.moving) = (secret, algorithm, digits, moving)
  }
}
