// Writes the bytecode of a layer's modules: node compile.mjs FOLDER
// The Python that compiles must be that of the runtime, whatever Python this machine has. Pyodide 0.27 is CPython 3.12.
// The bytecode is unchecked: Lambda sets the times of files, and no file of a layer changes.
import { loadPyodide } from "pyodide";

const python = await loadPyodide();
python.FS.mkdirTree("/opt/python");
python.FS.mount(python.FS.filesystems.NODEFS, { root: process.argv[2] }, "/opt/python");
const compiled = python.runPython(`
import compileall, py_compile
compileall.compile_dir(
    "/opt/python", maxlevels=30, quiet=1, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
)
`);
process.exit(compiled ? 0 : 1);
