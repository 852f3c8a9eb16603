/// The version of the daemon.
package enum Version {
  /// Major, minor and patch by Semantic Versioning 2.0.
  package static let text = "0.1.0"
}
