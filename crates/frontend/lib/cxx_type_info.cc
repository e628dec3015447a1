// The descriptions of types. That these classes are here makes the compiler describe the fundamental types here, too.
// The machine reads them, and looks at no virtual function of theirs.
#include <typeinfo>

namespace std {

type_info::~type_info() = default;

bool type_info::__is_pointer_p() const
{
    return false;
}

bool type_info::__is_function_p() const
{
    return false;
}

bool type_info::__do_catch(const type_info *other, void **, unsigned) const
{
    return *this == *other;
}

bool type_info::__do_upcast(const __cxxabiv1::__class_type_info *, void **) const
{
    return false;
}

} // namespace std

namespace __cxxabiv1 {

#define DESCRIPTION(name)              \
    struct name : std::type_info {     \
        virtual ~name();               \
    };                                 \
    name::~name() = default;

DESCRIPTION(__fundamental_type_info)
DESCRIPTION(__array_type_info)
DESCRIPTION(__function_type_info)
DESCRIPTION(__enum_type_info)
DESCRIPTION(__pointer_type_info)
DESCRIPTION(__pointer_to_member_type_info)
DESCRIPTION(__class_type_info)
DESCRIPTION(__si_class_type_info)
DESCRIPTION(__vmi_class_type_info)

// What unwinds a thread that ends.
struct __forced_unwind {
    virtual ~__forced_unwind() throw();
    virtual void __pure_dummy() = 0;
};
__forced_unwind::~__forced_unwind() throw() = default;

} // namespace __cxxabiv1
