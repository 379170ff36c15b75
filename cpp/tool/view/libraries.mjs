// SPDX-License-Identifier: MIT
// What bundle.js has of uPlot and three.js. scripts/view-bundle makes it.
export { default as uPlot } from "uplot";
export {
  BoxGeometry, BufferAttribute, BufferGeometry, Color, DirectionalLight, GridHelper, HemisphereLight, Line,
  InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, MeshStandardMaterial, PerspectiveCamera,
  Quaternion, Scene, SphereGeometry, Vector3, WebGLRenderer,
} from "three";
export { OrbitControls } from "three/addons/controls/OrbitControls.js";
