package import Glibc

/// That the daemon has made sure, for the call that is carried out now, that its owner is there.
///
/// It goes with the call wherever that leads and ends with it; a PIN that was given so opens what it guards for this
/// call alone.
package struct VerifiedPresence: Sendable {
  let owner: uid_t
  /// By what, RFC 8176.
  package let method: String
  let key: DataKey

  @TaskLocal package static var current: VerifiedPresence?

  package static func of(_ owner: uid_t) -> VerifiedPresence? {
    current.flatMap { $0.owner == owner ? $0 : nil }
  }
}
