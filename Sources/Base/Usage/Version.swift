/// The version of all programs.
public enum Version {
  /// Major, minor and patch by Semantic Versioning 2.0.
  public static let text = literal.description

  /// The version as a literal, which may be part of a journal entry.
  public static let literal: StaticString = "0.1.0"
}
