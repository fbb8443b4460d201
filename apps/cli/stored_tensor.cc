// From a storage named at run time to the type behind it.
#include "stored_tensor.h"

namespace limelight::cli {
namespace {

// make(T{}) with the element type that the storage stands for.
template <class Make>
StoredTensor with_type_of(Storage storage, const Make& make) {
  switch (storage) {
    case Storage::kF16:
      return make(Float16{});
    case Storage::kBf16:
      return make(BFloat16{});
    default:
      return make(float{});
  }
}

}  // namespace

StoredTensor make_stored(Storage storage, const std::array<int64_t, 4>& sizes) {
  return with_type_of(storage, [&]<class T>(T) { return Tensor<T, 4>(sizes); });
}

StoredTensor read_stored(const SafetensorsFile& file, const TensorInfo& info, Storage storage) {
  return with_type_of(storage, [&]<class T>(T) { return read_tensor<T, 4>(file, info); });
}

FloatView view_of(const StoredTensor& tensor) {
  return std::visit([](const auto& t) { return FloatView(t); }, tensor);
}

FloatOutput output_of(StoredTensor& tensor) {
  return std::visit([](auto& t) { return FloatOutput(t); }, tensor);
}

StoredTensor stored_as(Storage storage, const Tensor<float, 4>& tensor) {
  StoredTensor result = make_stored(storage, tensor.sizes());
  const FloatOutput to = output_of(result);
  auto* at = static_cast<std::byte*>(to.data);
  for (int64_t i = 0; i < tensor.count(); ++i) store_float(tensor.data()[i], at + i * storage_bytes(storage), storage);
  return result;
}

}  // namespace limelight::cli
