public import Glibc

/// What a machine knows of a user id.
public enum UserStanding: Sendable, Equatable {
  /// It is that of an account of this machine, whichever service has it.
  case known
  case unknown
  /// Another user may give it to whomever they like, subuid(5).
  case subordinate
  /// Nobody could say; the number of the error.
  case undecided(Int32)
}

extension UserStanding {
  /// The longest entry of a user that is read.
  private static let longestEntry = 1 << 20

  /// What the name services of this machine say, getpwuid_r(3); blocks for as long as they take.
  public static func byNameServices(_ user: uid_t) -> UserStanding {
    var (entry, found): (passwd, UnsafeMutablePointer<passwd>?) = (passwd(), nil)
    var buffer = [CChar](repeating: 0, count: 16 * 1024)
    while true {
      errno = 0
      switch getpwuid_r(user, &entry, &buffer, buffer.count, &found) {
      case 0: return found == nil ? .unknown : .known
      // Services that are not there say so, and whoever is not there either.
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

  /// What the files of the machine say of a user; `nil` if only a name service could know them.
  ///
  /// Whoever is in /etc/passwd waits for no service, however long one takes.
  public func standing(of user: uid_t) -> UserStanding? {
    switch isSubordinate(user) {
    case true?: return .subordinate
    case false?: return hasEntry(user) ? .known : nil
    case nil: return .undecided(EIO)
    }
  }

  /// Whether a range of /etc/subuid has the id; `nil` if the file is there and cannot be read.
  private func isSubordinate(_ user: uid_t) -> Bool? {
    let path = "/etc/subuid"
    guard let list = bytes(path, limit: Self.longestList) else { return exists(path) ? nil : false }
    return list.split(separator: UInt8(ascii: "\n")).contains { line in
      // A line that is none says nothing.
      guard line.first != UInt8(ascii: "#"), line.first != UInt8(ascii: ":") else { return false }
      let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map {
        UInt64(String(decoding: $0, as: UTF8.self))
      }
      guard fields.count == 3, let first = fields[1], let count = fields[2] else { return false }
      return user >= first && UInt64(user) - first < count
    }
  }

  /// Whether /etc/passwd has an entry of the user.
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
