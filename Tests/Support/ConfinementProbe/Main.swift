internal import Attempts
internal import Configuration
internal import Confinement
internal import Courier
internal import CourierLink
internal import Daemon
internal import Glibc

/// Applies the confinement of a program, and prints the result of each permitted and forbidden operation on a
/// line.
@main
enum Main {
  static func main() {
    let words = CommandLine.arguments
    guard words.count == 6, let victim = Int32(words[4]) else { exit(2) }
    let (profile, directory, courier, abstract) = (words[1], words[2], words[3], words[5])
    let (state, file) = (directory + "/state", directory + "/conf/mfad.conf")
    let configuration = Configuration()
    let confinement: Confinement? =
      switch profile {
      case "courier": .courier(configuration, file: file)
      case "daemon":
        .daemon(configuration, configurationFile: file, stateDirectory: state, courier: .socket(path: "/x"))
      case "daemon-with-child":
        .daemon(
          configuration,
          configurationFile: file,
          stateDirectory: state,
          courier: .child(CourierCommand(executable: courier))
        )
      default: nil
      }
    // A descriptor that the process opened before it confined itself.
    let opened = open(state + "/key", O_RDONLY | O_CLOEXEC)
    if let confinement {
      print("in force", confinement.enforce().inForce.joined(separator: ","), separator: "=")
    }
    attempt("read the key", attempt_open(state + "/key", O_RDONLY))
    attempt("overwrite the key", attempt_open(state + "/key", O_WRONLY))
    attempt("make a file in the state", attempt_open(state + "/new-\(profile)", O_WRONLY | O_CREAT))
    attempt("list the state", attempt_list(state))
    attempt("read the configuration", attempt_open(file, O_RDONLY))
    attempt("overwrite the configuration", attempt_open(file, O_WRONLY))
    attempt("read another file", attempt_open(directory + "/other", O_RDONLY))
    attempt("make another file", attempt_open(directory + "/new-\(profile)", O_WRONLY | O_CREAT))
    attempt("read the hosts", attempt_open("/etc/hosts", O_RDONLY))
    attempt("list processes", attempt_list("/proc"))
    attempt("make a Unix socket", attempt_socket(AF_UNIX, Int32(SOCK_STREAM.rawValue)))
    attempt("make an Internet socket", attempt_socket(AF_INET, Int32(SOCK_STREAM.rawValue)))
    attempt("make a packet socket", attempt_socket(AF_PACKET, Int32(SOCK_DGRAM.rawValue)))
    attempt("connect to an abstract socket", attempt_abstract(abstract))
    attempt("start a thread", attempt_thread())
    attempt("start the courier", attempt_program(courier))
    attempt("start another program", attempt_program("/bin/true"))
    attempt("signal a child", attempt_signal_to_child())
    attempt("signal itself", attempt_signal(getpid()))
    attempt("signal another", attempt_signal(victim))
    attempt("trace another", attempt_trace(victim))
    attempt("read another's memory", attempt_memory(victim))
    attempt("take another's descriptor", attempt_descriptor(victim))
    attempt("make a namespace", attempt_namespace())
    attempt("use io_uring", attempt_io_uring())
    attempt("use the kernel's keys", attempt_keyring())
    attempt("type into the terminal", attempt_terminal_input())
    attempt("make a newer call", attempt_newer_call())
    for index in 0..<attempt_calls() {
      guard let name = attempt_name(index) else { continue }
      attempt("call \(String(cString: name))", attempt_call(index, state + "/key", opened, victim))
    }
  }

  private static func attempt(_ name: String, _ code: Int32) {
    let outcome =
      switch code {
      case 0: "done"
      case EACCES: "EACCES"
      case EPERM: "EPERM"
      case EAFNOSUPPORT: "EAFNOSUPPORT"
      case ENOSYS: "ENOSYS"
      default: "\(code)"
      }
    print(name, outcome, separator: "=")
  }
}
