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
    guard geteuid() != 0 else { throw Absence(reason: "root must not start one") }
    let commands = Self.commands
    guard !commands.isEmpty else { throw Absence(reason: "no desktop session, and BROWSER names no program") }
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
    return status == 0 ? nil : "\(name) failed"
  }

  /// What is opened is what was read: an address that cannot be listened to on its way.
  private static func checked(_ address: String) throws(Absence) -> WebURL {
    guard let page = WebURL(address), page.origin.scheme == .https || page.origin.isLoopback else {
      throw Absence(reason: "the address does not begin with https://")
    }
    return page
  }

  /// BROWSER lists commands with colons between.
  private static var commands: [[String]] {
    let named = ProcessEnvironment.value("BROWSER")?.split(separator: ":").map { command in
      command.split(separator: " ").map(String.init)
    }
    let isOnDesktop = ["WAYLAND_DISPLAY", "DISPLAY"].contains { ProcessEnvironment.value($0) != nil }
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

/// What another program of the user's is started with: the environment of this one, without what is said to
/// mfad's own.
enum OwnEnvironment {
  static var variables: [String] {
    var variables: [String] = []
    var entry = environ
    while let text = entry.pointee {
      variables.append(String(cString: text))
      entry += 1
    }
    return variables.filter { !$0.hasPrefix("MFAD_") }
  }
}

/// Shows the pages at which a sign-on goes on, and opens those that belong into a browser of this machine.
final class Pages {
  private let terminal: Terminal
  private var browser: Browser?

  init(_ terminal: Terminal) { self.terminal = terminal }

  /// Shows an address, for a camera too where it may be gone to from anywhere.
  ///
  /// What ends at an address that is wanted here is no page for a telephone: that would have it, or look on
  /// itself for what is on this machine.
  func show(_ address: String, isForCamera: Bool) {
    guard isForCamera else { return terminal.show([Self.request, "  \(address)"]) }
    terminal.show([Self.request])
    terminal.show(address: address, orElse: "\"authctl login --browser\" opens a browser on this machine")
  }

  /// Opens an address whose page comes back to this machine; no camera is to lead elsewhere.
  func open(_ address: String) {
    do {
      let browser = try Browser(opening: address)
      self.browser = browser
      terminal.show(["\(browser.name) is opening this address:", "  \(address)"])
    } catch {
      terminal.show(["no browser is opened: \(error.reason)", Self.request, "  \(address)"])
    }
  }

  /// Why the browser that was opened did not open, once that is known; what is shown now gives way to it.
  func tellFailure(insteadOf shown: () -> Void) {
    guard let failure = browser?.failure else { return }
    shown()
    terminal.show(["\(failure): open the address yourself"])
  }

  private static let request: SafeText = "open this address in a browser:"
}
