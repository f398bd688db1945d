import Glibc
import VeilCLI

exit(VeilProgram.main())
