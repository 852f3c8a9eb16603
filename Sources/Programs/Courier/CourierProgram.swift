internal import CLinux
public import Configuration
public import Confinement
internal import EventLoop
internal import Glibc
internal import UnixSockets
internal import Usage

/// The program `mfad-courier`, without its entry point.
public enum CourierProgram {
  private enum ExitCode {
    static let done: Int32 = 0
    static let failed: Int32 = 1
    static let badConfiguration: Int32 = 78
  }

  private static let usage = CourierOptions.usage

  /// Runs the courier until it is idle or stopped, and returns its exit code.
  public static func main(_ arguments: [String]) -> Int32 {
    CourierOptions.run(arguments, run)
  }

  private static func run(_ options: CourierOptions) -> Int32 {
    var activated: Descriptor?
    do throws(ActivatedSocket.Mismatch) {
      if case .socket = options.mode { activated = try ActivatedSocket.take() }
    } catch {
      usage.complain("\(error)")
      return ExitCode.failed
    }
    CourierHardening.apply()
    do throws(ConfigurationError) {
      return run(CourierService(options, try options.loadConfiguration(), activated: activated))
    } catch {
      usage.complain("\(error)")
      // Keep serving. Otherwise the service manager would start the courier again and again for a waiting
      // connection, and finally disable the socket.
      guard let activated else { return ExitCode.badConfiguration }
      return run(CourierService(options, without: error, activated: activated))
    }
  }

  private static func run(_ service: CourierService) -> Int32 {
    EventLoop.task { service.start() }
    EventLoop.run()
    return service.hasFailed ? ExitCode.failed : ExitCode.done
  }
}

/// Restrictions that the process applies to itself before it reads any input.
enum CourierHardening {
  /// Passwords and tokens pass through the courier: no core file and no debugger may show them.
  static func apply() {
    _ = clinux_forbid_dumps()
    clinux_die_silently()
    _ = clinux_forbid_new_privileges()
    // Ignore environment variables for proxies, key logs, the resolver and the configuration of libraries.
    clearenv()
    umask(0o077)
  }
}

extension Confinement {
  /// Permissions of a courier: the network, its configuration, and the trusted certificate authorities.
  ///
  /// It cannot create Unix sockets, since it could then connect to the daemon as a client. The socket to the
  /// daemon already exists. libc skips name services that need a Unix socket.
  public static func courier(_ configuration: Configuration, file: String?, ownSocket: String? = nil)
    -> Confinement
  {
    // Permit only these files, since their directories may contain files of the daemon.
    let own = [file, configuration.certificateAuthorityFile].compactMap(\.self).map { FileRule($0, .read) }
    // When the courier exits, it removes a socket that it created itself.
    let socket = ownSocket.map { FileRule.around($0, .remove) }
    return Confinement(
      files: FileRule.system + FileRule.resolver + FileRule.devices + FileRule.authorities + own
        + [socket].compactMap(\.self),
      families: [AF_INET, AF_INET6]
    )
  }
}
