import Glibc

/// Where a path leads, with everybody considered who could make it lead elsewhere.
struct ResolvedPath: Equatable {
  /// The path without links.
  let path: String
  /// Whether only root and the host's user can change what is found there; `nil` if that cannot be told.
  let isProtected: Bool?
}

extension Host {
  private static let mostLinks = 40
  /// The user that stands for all those whom a user namespace does not know.
  private static let unknowable: uid_t = 65534
  private static let mostStateFiles = 256

  /// Follows a path step by step; `nil` if a step cannot be looked at.
  ///
  /// Whoever owns a step or can write it could change what lies behind it. A directory for everybody is harmless
  /// on the way while it is sticky: what lies in it is moved only by its owner, who has to be one of those two.
  /// Whoever is in a group that can write counts too, unless groups are judged and its members are known.
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

  /// Whether only root and the user can change one thing; `nil` if its owner or its group cannot be told.
  private func protection(of status: stat, at path: String, isWay: Bool, _ judgingGroups: Bool) -> Bool? {
    guard status.st_uid != Self.unknowable else { return nil }
    guard status.st_uid == 0 || status.st_uid == user else { return false }
    let type = status.st_mode & S_IFMT
    // The mode of a link means nothing; what can be done with it is up to its directory.
    if type == S_IFLNK || status.st_mode & (S_IWGRP | S_IWOTH) == 0 { return true }
    if isWay && type == S_IFDIR && status.st_mode & S_ISVTX != 0 { return true }
    guard status.st_mode & S_IWOTH == 0, judgingGroups else { return false }
    // With an access list the bits of the group are those of everybody on it.
    return hasAccessList(path) == false ? isPrivate(status.st_gid) : nil
  }

  /// One thing that others can change is enough to know that not all is protected.
  fileprivate static func areAllProtected(_ things: [Bool?]) -> Bool? {
    things.contains(false) ? false : things.contains(nil) ? nil : true
  }

  /// Whether only root and the user can change what lies in a directory; `nil` if that cannot be told.
  func isContentProtected(_ directory: String) -> Bool? {
    guard let names = names(in: directory, limit: Self.mostStateFiles) else { return nil }
    return Self.areAllProtected(
      names.map { name in
        let path = "\(directory)/\(name)"
        guard let status = status(path) else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG, S_IFDIR: return protection(of: status, at: path, isWay: false, true)
        // Where a link leads is not judged; and what is neither file nor directory holds no state.
        case S_IFLNK: return nil
        default: return true
        }
      }
    )
  }
}

extension Posture.Finding {
  init(_ isSo: Bool?) { self = isSo.map { $0 ? .yes : .no } ?? .unknown }

  /// Whether the running program, as the kernel names it, is protected; one that was replaced cannot be told.
  init(programProtectedOn host: Host) {
    self.init(host.target("/proc/self/exe").flatMap { host.resolve($0) }?.isProtected)
  }

  /// Whether a directory and the files in it are protected.
  init(isProtected directory: String, on host: Host) {
    guard let place = host.resolve(directory) else {
      self = .unknown
      return
    }
    self.init(Host.areAllProtected([place.isProtected, host.isContentProtected(place.path)]))
  }
}
