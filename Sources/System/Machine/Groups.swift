import Glibc

extension Host {
  private static let longestTable = 1024 * 1024

  /// Whether a group is nobody's but root's and the user's; `nil` if its members cannot be told.
  ///
  /// Many distributions give each user a group of their own and let it write what the user makes.
  func isPrivate(_ group: UInt32) -> Bool? {
    guard let users = table("/etc/passwd"), let groups = table("/etc/group") else { return nil }
    let lines = groups.filter { UInt32($0[2]) == group }
    guard !lines.isEmpty else { return nil }
    let members =
      lines.flatMap { $0[3].split(separator: ",") } + users.filter { UInt32($0[3]) == group }.map(\.[0])
    let ours = users.filter { [0, user].contains(UInt32($0[2])) }.map(\.[0])
    return members.allSatisfy { ours.contains($0) }
  }

  /// The lines of a table of users or groups, unless others could have written it or more of it lies elsewhere.
  private func table(_ path: String) -> [[Substring]]? {
    guard let place = resolve(path, judgingGroups: false), place.isProtected == true,
      let text = text(place.path, limit: Self.longestTable)
    else { return nil }
    let lines = text.split(separator: "\n").map { $0.split(separator: ":", omittingEmptySubsequences: false) }
    return lines.contains { $0[0].hasPrefix("+") } ? nil : lines.filter { $0.count > 3 }
  }
}
