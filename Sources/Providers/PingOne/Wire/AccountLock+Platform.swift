package import ControlAPI
package import JSON
internal import Text
internal import Time

extension AccountLock {
  /// A lock as a platform tells of it, in `policy` and `expiresAt`.
  package init?(platform json: JSON) {
    guard let policy = json["policy"]?.string else { return nil }
    let expiry = json["expiresAt"]?.string.flatMap { Timestamp(text: $0) }
    // An end that cannot be read is not the same as none.
    guard json["expiresAt"] == nil || expiry != nil else { return nil }
    self.init(policy: DisplayText.clean(policy), expiresAt: expiry)
  }
}
