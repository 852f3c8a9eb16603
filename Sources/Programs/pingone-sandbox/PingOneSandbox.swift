import Glibc
import Sandbox

@main
enum PingOneSandbox {
  nonisolated static func main() { exit(SandboxProgram.run(Array(CommandLine.arguments.dropFirst()))) }
}
