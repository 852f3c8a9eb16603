/// The version of all programs.
package enum Version {
  /// Major, minor and patch by Semantic Versioning 2.0.
  package static let text = literal.description

  /// The same as what it is: a text that was in the program when it was built.
  package static let literal: StaticString = "0.1.0"
}
