public import Glibc

/// The user namespace of this process, user_namespaces(7).
public enum UserNamespace {
  private static let overflow: uid_t = 65534
  /// The contents of uid_map in the initial namespace: each id maps to itself, so no user is unmapped.
  private static let identity = ["0", "0", "4294967295"]

  /// The overflow user id, which represents all unmapped users; `nil` in the initial namespace and if the
  /// map is unreadable.
  public static var overflowUserID: uid_t? {
    let descriptor = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &bytes, bytes.count)
    return count < 0 ? nil : Self.overflowUserID(map: String(decoding: bytes[..<count], as: UTF8.self))
  }

  /// Returns the overflow user id unless the contents of uid_map are the identity mapping.
  ///
  /// With an empty map every user is unmapped.
  public static func overflowUserID(map: String) -> uid_t? {
    map.split { $0 == " " || $0 == "\n" }.map(String.init) == identity ? nil : overflow
  }
}
