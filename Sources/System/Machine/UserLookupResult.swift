public import Glibc

/// The result of looking up a user id.
public enum UserLookupResult: Sendable, Equatable {
  /// The id belongs to an account of this machine or of a name service.
  case known
  case unknown
  /// The id is in a range that another user may assign to processes, subuid(5).
  case subordinate
  /// The look-up failed with this errno.
  case undecided(Int32)
}

extension UserLookupResult {
  /// Maximum size of a passwd entry in bytes.
  private static let longestEntry = 1 << 20

  /// Looks up a user in the name services by getpwuid_r(3); blocks until they respond.
  public static func byNameServices(_ user: uid_t) -> UserLookupResult {
    var (entry, found): (passwd, UnsafeMutablePointer<passwd>?) = (passwd(), nil)
    var buffer = [CChar](repeating: 0, count: 16 * 1024)
    while true {
      errno = 0
      switch getpwuid_r(user, &entry, &buffer, buffer.count, &found) {
      case 0: return found == nil ? .unknown : .known
      // Some services report a missing user, or their own absence, by these errors.
      case ENOENT, ESRCH: return .unknown
      case EINTR: continue
      case ERANGE where buffer.count < longestEntry:
        buffer = [CChar](repeating: 0, count: buffer.count * 2)
      case let code: return .undecided(code)
      }
    }
  }
}

extension Host {
  private static let longestList = 1 << 20

  /// Looks up a user in the files of the machine; `nil` if only a name service could know it.
  ///
  /// So a user in /etc/passwd is found without a slow name service.
  public func standing(of user: uid_t) -> UserLookupResult? {
    switch isSubordinate(user) {
    case true?: return .subordinate
    case false?: return hasEntry(user) ? .known : nil
    case nil: return .undecided(EIO)
    }
  }

  /// True if a range of /etc/subuid contains the id; `nil` if the file exists but is unreadable.
  private func isSubordinate(_ user: uid_t) -> Bool? {
    let path = "/etc/subuid"
    guard let list = bytes(path, limit: Self.longestList) else { return exists(path) ? nil : false }
    return list.split(separator: UInt8(ascii: "\n")).contains { line in
      // Comments and lines without a name are ignored.
      guard line.first != UInt8(ascii: "#"), line.first != UInt8(ascii: ":") else { return false }
      let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map {
        UInt64(String(decoding: $0, as: UTF8.self))
      }
      guard fields.count == 3, let first = fields[1], let count = fields[2] else { return false }
      return user >= first && UInt64(user) - first < count
    }
  }

  /// True if /etc/passwd has an entry of the user.
  private func hasEntry(_ user: uid_t) -> Bool {
    guard let table = open("/etc/passwd") else { return false }
    defer { fclose(table) }
    var (entry, found): (passwd, UnsafeMutablePointer<passwd>?) = (passwd(), nil)
    var buffer = [CChar](repeating: 0, count: 16 * 1024)
    while fgetpwent_r(table, &entry, &buffer, buffer.count, &found) == 0 {
      if entry.pw_uid == user { return true }
    }
    return false
  }
}

extension Host {
  private static let longestTable = 1024 * 1024

  /// True if root and the host's user are the only members of a group; `nil` if its members are unknown.
  ///
  /// Many distributions give each user a private group, which may write the user's files.
  func isPrivate(_ group: UInt32) -> Bool? {
    guard let users = table("/etc/passwd"), let groups = table("/etc/group") else { return nil }
    let lines = groups.filter { UInt32($0[2]) == group }
    guard !lines.isEmpty else { return nil }
    let members =
      lines.flatMap { $0[3].split(separator: ",") } + users.filter { UInt32($0[3]) == group }.map(\.[0])
    let ours = users.filter { [0, user].contains(UInt32($0[2])) }.map(\.[0])
    return members.allSatisfy { ours.contains($0) }
  }

  /// Returns the lines of a passwd or group file; `nil` if other users can write it or it refers to NIS.
  private func table(_ path: String) -> [[Substring]]? {
    guard let place = resolve(path, judgingGroups: false), place.isProtected == true,
      let text = text(place.path, limit: Self.longestTable)
    else { return nil }
    let lines = text.split(separator: "\n").map { $0.split(separator: ":", omittingEmptySubsequences: false) }
    return lines.contains { $0[0].hasPrefix("+") } ? nil : lines.filter { $0.count > 3 }
  }
}
