internal import Configuration
internal import ControlClient
internal import Glibc
internal import Processes
internal import WebAddress

/// The web browser of the desktop, which is given one address and outlives this program.
final class Browser {
  /// Why no browser is opened.
  struct Absence: Error {
    let reason: SafeText
  }

  let name: SafeText
  private let process: pid_t
  private var isOver = false

  /// Gives the address to the first program that can be started: those of BROWSER, else that of the desktop.
  init(opening address: String) throws(Absence) {
    let page = try Self.checked(address)
    // Who became root is on a desktop of somebody else's, and what a browser of root's reads it reads as root.
    guard geteuid() != 0 else { throw Absence(reason: "root opens no browser") }
    let commands = Self.commands
    guard !commands.isEmpty else { throw Absence(reason: "there is no desktop here, and BROWSER names none") }
    for command in commands {
      guard let process = Self.start(Self.words(of: command, for: page.text)) else { continue }
      (self.process, name) = (process, "\(command[0])")
      return
    }
    let names = commands.map { "\($0[0])" as SafeText }.joined(separator: ", ")
    throw Absence(reason: "\(names) cannot be started")
  }

  /// How it ended, if that was badly and was not told before.
  var failure: SafeText? {
    var status: Int32 = 0
    guard !isOver, waitpid(process, &status, WNOHANG) == process else { return nil }
    isOver = true
    return status == 0 ? nil : "\(name) opened no browser"
  }

  /// What is opened is what was read: an address that cannot be listened to on its way.
  private static func checked(_ address: String) throws(Absence) -> WebURL {
    guard let page = WebURL(address), page.origin.scheme == .https || page.origin.isLoopback else {
      throw Absence(reason: "only addresses of https are")
    }
    return page
  }

  /// BROWSER lists commands with colons between.
  private static var commands: [[String]] {
    let named = Environment.value("BROWSER")?.split(separator: ":").map { command in
      command.split(separator: " ").map(String.init)
    }
    let isOnDesktop = ["WAYLAND_DISPLAY", "DISPLAY"].contains { Environment.value($0) != nil }
    return (named ?? []).filter { !$0.isEmpty } + (isOnDesktop ? [["xdg-open"]] : [])
  }

  /// The address stands where the command says %s, else at its end.
  private static func words(of command: [String], for address: String) -> [String] {
    let isPlaced = command.contains { $0.contains("%s") }
    return isPlaced ? command.map { $0.replacing("%s", with: address) } : command + [address]
  }

  private static func start(_ words: [String]) -> pid_t? {
    try? ChildProcess.start(
      words[0],
      Array(words.dropFirst()),
      environment: OwnEnvironment.variables,
      descriptors: (0..<3).map { _ in try ChildProcess.nullDevice() }
    )
  }
}
