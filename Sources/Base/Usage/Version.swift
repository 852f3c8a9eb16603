/// The version of all programs.
public enum Version {
  /// Major, minor and patch by Semantic Versioning 2.0.
  public static let text = literal.description

  /// The same as what it is: a text that was in the program when it was built.
  public static let literal: StaticString = "0.1.0"
}
