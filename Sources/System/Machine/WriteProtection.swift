import Glibc

/// The target of a path, and whether other users could redirect the path.
struct ResolvedPath: Equatable {
  /// The path without symbolic links.
  let path: String
  /// True if only root and the host's user can change the target; `nil` if that is unknown.
  let isProtected: Bool?
}

extension Host {
  private static let mostLinks = 40
  /// The overflow user id, which represents all users unknown to a user namespace.
  private static let unknowable: uid_t = 65534
  private static let mostStateFiles = 256

  /// Resolves a path step by step; `nil` if a step is inaccessible.
  ///
  /// The owner of a step, and each user that can write it, could change the target. A world-writable
  /// directory on the way is harmless if it is sticky, because only the owner of an entry can move the entry.
  /// The owner of each entry is checked too. A group that can write counts as other users.
  /// With `judgingGroups` it does not, if root and the host's user are its only members.
  func resolve(_ path: String, judgingGroups: Bool = true) -> ResolvedPath? {
    guard path.hasPrefix("/"), let top = status("/") else { return nil }
    var rest: [Substring] = path.split(separator: "/").reversed()
    var (current, links) = ("", 0)
    var steps = [protection(of: top, at: "/", isWay: !rest.isEmpty, judgingGroups)]
    while let name = rest.popLast() {
      if name == "." { continue }
      if name == ".." {
        current = String(current[..<(current.lastIndex(of: "/") ?? current.startIndex)])
        continue
      }
      let next = "\(current)/\(name)"
      guard let status = status(next) else { return nil }
      steps.append(protection(of: status, at: next, isWay: !rest.isEmpty, judgingGroups))
      switch status.st_mode & S_IFMT {
      case S_IFLNK:
        links += 1
        guard links <= Self.mostLinks, let target = target(next) else { return nil }
        if target.hasPrefix("/") { current = "" }
        rest += target.split(separator: "/").reversed()
      case S_IFDIR: current = next
      default:
        guard rest.isEmpty else { return nil }
        current = next
      }
    }
    return ResolvedPath(path: current.isEmpty ? "/" : current, isProtected: Self.areAllProtected(steps))
  }

  /// True if only root and the user can change this file; `nil` if that is unknown.
  ///
  /// `isWay` is true for each step of a path except the last.
  private func protection(of status: stat, at path: String, isWay: Bool, _ judgingGroups: Bool) -> Bool? {
    guard status.st_uid != Self.unknowable else { return nil }
    guard status.st_uid == 0 || status.st_uid == user else { return false }
    let type = status.st_mode & S_IFMT
    // The mode of a symbolic link has no effect. Its directory determines the users that can change it.
    if type == S_IFLNK || status.st_mode & (S_IWGRP | S_IWOTH) == 0 { return true }
    if isWay && type == S_IFDIR && status.st_mode & S_ISVTX != 0 { return true }
    guard status.st_mode & S_IWOTH == 0, judgingGroups else { return false }
    // With a POSIX ACL, the group bits are the mask of all its entries.
    return hasAccessList(path) == false ? isPrivate(status.st_gid) : nil
  }

  /// Returns false if one value is false, otherwise `nil` if one is unknown, otherwise true.
  fileprivate static func areAllProtected(_ things: [Bool?]) -> Bool? {
    things.contains(false) ? false : things.contains(nil) ? nil : true
  }

  /// True if only root and the user can change the files in a directory; `nil` if that is unknown.
  func isContentProtected(_ directory: String) -> Bool? {
    guard let names = names(in: directory, limit: Self.mostStateFiles) else { return nil }
    return Self.areAllProtected(
      names.map { name in
        let path = "\(directory)/\(name)"
        guard let status = status(path) else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG, S_IFDIR: return protection(of: status, at: path, isWay: false, true)
        // Targets of symbolic links are not checked. Other file types hold no state.
        case S_IFLNK: return nil
        default: return true
        }
      }
    )
  }
}

extension Posture.Finding {
  init(_ isSo: Bool?) { self = isSo.map { $0 ? .yes : .no } ?? .unknown }

  /// Checks the running program by /proc/self/exe; `unknown` if its file was replaced or deleted.
  init(programProtectedOn host: Host) {
    self.init(host.target("/proc/self/exe").flatMap { host.resolve($0) }?.isProtected)
  }

  /// Checks a directory and the files in it.
  init(isProtected directory: String, on host: Host) {
    guard let place = host.resolve(directory) else {
      self = .unknown
      return
    }
    self.init(Host.areAllProtected([place.isProtected, host.isContentProtected(place.path)]))
  }
}
