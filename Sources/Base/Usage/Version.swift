internal import CLinux

/// The version of all programs.
public enum Version {
  /// Major, minor and patch by Semantic Versioning 2.0.
  public static let text = literal.description

  /// The version as a literal, which may be part of a journal entry.
  public static let literal: StaticString = "0.1.0"

  /// The version, with the date of the commit for an installed program.
  public static var dated: String {
    let date = String(cString: clinux_commit_date())
    return date.hasPrefix("0") ? text : "\(text) (\(date))"
  }
}
