import Processes
import Sandbox

@main
enum PingOneSandbox {
  nonisolated static func main() { OwnArguments.run("pingone-sandbox", SandboxProgram.run) }
}
