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
  /// What the server that made it knows the device by, if it said so.
  package let resource: String?

  package init(
    secret: Secret,
    algorithm: HashAlgorithm,
    digits: Int,
    moving: Moving,
    resource: String? = nil
  ) {
    (self.secret, self.algorithm, self.digits) = (secret, algorithm, digits)
    (self.moving, self.resource) = (moving, resource)
  }
}
