public import Glibc

/// The user namespace that this process is in, user_namespaces(7).
public enum UserNamespace {
  private static let overflow: uid_t = 65534
  /// All ids, each as itself: the first namespace, in which everybody can be told apart.
  private static let identity = ["0", "0", "4294967295"]

  /// The id that stands for everybody whom the namespace does not know; `nil` where everybody is known.
  public static var outsider: uid_t? {
    let descriptor = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &bytes, bytes.count)
    return count < 0 ? nil : Self.outsider(map: String(decoding: bytes[..<count], as: UTF8.self))
  }

  /// The same, for what the kernel tells of the ids that are known; in an empty map nobody is.
  public static func outsider(map: String) -> uid_t? {
    map.split { $0 == " " || $0 == "\n" }.map(String.init) == identity ? nil : overflow
  }
}
