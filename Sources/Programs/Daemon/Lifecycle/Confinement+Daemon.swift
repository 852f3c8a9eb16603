public import Configuration
public import Confinement
public import CourierLink
internal import Glibc
internal import Vault

extension Confinement {
  /// What the daemon needs: its state, what it is configured by, and what it measures of the machine.
  ///
  /// Behind a courier that others start it makes no sockets but Unix ones and no processes. What it gives up, a courier
  /// that is its child would lack too, and so it keeps for that one what it does not need itself.
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
    // What hands the key over makes its directory anew each time.
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
  /// What posture and figures are measured by.
  ///
  /// What /proc shows of other processes beyond their names, Landlock denies as it denies tracing them.
  fileprivate static let machine: [FileRule] = [FileRule("/proc", .read), FileRule("/sys", .read)]
}
