/// Where a sandbox is reached: by two names of this machine, and at one of its ports.
enum OwnAddress {
  static let names = ["127.0.0.1", "localhost"]
  /// The port that nobody names.
  private static let standardPort = 80

  static func url(port: Int) -> String {
    "http://127.0.0.1" + (port == standardPort ? "" : ":\(port)")
  }

  /// What clients may write in `Host`.
  static func hosts(port: Int) -> [String] {
    names.map { "\($0):\(port)" } + (port == standardPort ? names : [])
  }
}
