// SPDX-License-Identifier: MIT
// The lines of the golden runs:  node golden.mjs golden.wasm
import { readFileSync } from "node:fs";

let out = "";
const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const { exports } = new WebAssembly.Instance(module, {
  host: {
    put(address) {
      const bytes = new Uint8Array(exports.memory.buffer, address);
      out += new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
    },
  },
});
exports._initialize();
const failed = exports.run();
process.stdout.write(out);
process.exitCode = failed === 0 ? 0 : 1;
