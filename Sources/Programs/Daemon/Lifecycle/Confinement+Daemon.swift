public import Configuration
public import Confinement
public import CourierLink
internal import Glibc
internal import Vault

extension Confinement {
  /// Permissions of the daemon: its state, its configuration, and the files that posture and metrics read.
  ///
  /// With an external courier, the daemon creates only Unix sockets and no processes. A courier that is a
  /// child inherits the confinement, so the daemon then also keeps the permissions that the courier needs.
  public static func daemon(
    _ configuration: Configuration,
    configurationFile: String?,
    stateDirectory: String,
    courier: CourierEndpoint
  ) -> Confinement {
    let read = [configurationFile].compactMap(\.self) + configuration.issuerKeyFiles.values.sorted()
    var confinement = Confinement(
      files: FileRule.system + FileRule.resolver + FileRule.devices + FileRule.machine
        + read.flatMap { FileRule.reaching($0) }
        + [stateDirectory, RollbackCounter.directory(of: stateDirectory)].map {
          FileRule($0, [.read, .overwrite, .manage])
        },
      families: [AF_UNIX],
      speaksAbstractly: ProcessEnvironment.value("NOTIFY_SOCKET")?.hasPrefix("@") == true
    )
    if let credentials = ProcessEnvironment.value("CREDENTIALS_DIRECTORY") {
      confinement.files.append(FileRule(credentials, .read))
    }
    // Permit the parent directory, since the unit that provides the key recreates this directory each time.
    if let keys = ProcessEnvironment.value("MFAD_KEY_DIRECTORY") {
      confinement.files.append(.around(keys, .read))
    }
    guard case .child(let command) = courier else { return confinement }
    confinement.startsPrograms = true
    confinement.families += [AF_INET, AF_INET6]
    confinement.files += FileRule.starting(command.executable) + FileRule.authorities
    if let file = configuration.certificateAuthorityFile { confinement.files += FileRule.reaching(file) }
    return confinement
  }
}

extension FileRule {
  /// Files that posture and metrics are measured from.
  ///
  /// Landlock forbids tracing other processes, and therefore also reading their details in /proc. Their names
  /// stay visible.
  fileprivate static let machine: [FileRule] = [FileRule("/proc", .read), FileRule("/sys", .read)]
}
